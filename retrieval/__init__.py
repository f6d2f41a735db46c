"""How a release is read: filter, search, fuse, order, evidence, explain. Nothing here changes a release."""
