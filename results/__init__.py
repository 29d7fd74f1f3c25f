PUBLIC = (
    "access example exports incoming items mailing outcomes pictures proof published replay repository running_count "
    "services sharing_views waiting wording"
)
