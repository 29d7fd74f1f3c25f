PUBLIC = (
    "access example exports incoming items mailing pictures proof published repository running_count services sharing "
    "waiting wording"
)
