PUBLIC = "demo election_posts emails front_page mailing repository subscriptions"
