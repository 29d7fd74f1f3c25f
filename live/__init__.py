PUBLIC = (
    "access bars clock codes corrections counting demo formats forms hall hub items join_forms lifetimes "
    "onward pace players replay repository rooms rounds rules screens sealed seats services signs waking words"
)
