"""A site to measure, made and served by the code around this folder. It is laid into other revisions, too, and so it
leans on little of theirs: `bench.ballots.day`, and what that leans on."""
