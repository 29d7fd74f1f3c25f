PUBLIC = (
    "answer_forms changes clock codes corrections counting follow_up_store follow_ups formats home_cards items labels "
    "lifetimes play players plays rate_limit repository rounds rules screens seats services snapshot steps "
    "symbols verifying views"
)
