"""`lode report`: where the page of a release is."""
