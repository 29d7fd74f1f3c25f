<<<<<<< HEAD
PUBLIC = "access demo election_posts emails forms front_page likes mailing repository rules services subscriptions"
=======
PUBLIC = "demo election_posts emails front_page likes mailing repository rules services subscriptions"
>>>>>>> integration
