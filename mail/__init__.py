PUBLIC = "bounce_mailbox bounces emails errors labels message_ids names outages outbox sending undelivered"
