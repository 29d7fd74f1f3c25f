PUBLIC = (
    "access bars clock codes correcting_views counting demo forms hall host_views hub join_forms "
    "join_views lifetimes onward pace play_views players repository rooms rounds rules sealed seats "
    "services signs waking words"
)
