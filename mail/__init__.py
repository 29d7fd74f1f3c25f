PUBLIC = "again answers bounces letters mailboxes names numbers outbox senders sending server trial words"
