PUBLIC = "access demo election_posts emails forms front_page likes mailing repository rules services subscriptions"
