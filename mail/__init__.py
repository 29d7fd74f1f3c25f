PUBLIC = "again answers bounces emails mailboxes names numbers outbox senders sending server trial words"
