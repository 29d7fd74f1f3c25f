PUBLIC = "comparing demo emails passes replay repository robots sealed secrecy services sorting"
