"""Any engine that speaks DynamoDB's protocol, judged: `make test-engine STORE_URL=dynamodb://…`.

Besides the store's own promises, races and random programs (tests/store), here are the histories of elections, polls
and live sessions, and the kills and the bad weather, on that engine. No part of the ordinary run: the files are not
called test_….
"""
