PUBLIC = "demo election_posts emails front_page likes mailing repository rules services subscriptions"
