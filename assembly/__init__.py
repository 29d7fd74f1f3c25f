PUBLIC = (
    "addresses agenda_forms agenda_views check_in_forms check_in_views enrolling floor majorities minutes "
    "pictures quorate resolutions roll_views rolls speakers speakers_views speaking takeovers words"
)
