PUBLIC = (
    "clock codes corrections counting follow_ups formats items lifetimes onward pace play players plays "
    "replay repository room rounds rules saying sealed seats services show signs views waking words"
)
