"""Text tools shared by stages."""
