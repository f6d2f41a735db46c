"""What runs: thin Prefect flows over the stages and the warehouse, and the command line."""
