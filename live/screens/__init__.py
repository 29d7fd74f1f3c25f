PUBLIC = "access broadcaster host_screens rendering snapshots"
