"""Measurements that guard the stated goals: `make bench`."""
