#!/bin/sh
# Prints the path of a Chromium that browser tests can drive: $CHROMIUM, the headless shell, one on the PATH, the system's package, or
# Playwright's own download. The headless shell is the same engine without windows, tabs and toolbars: it takes a quarter of the processor time.
set -u
bin=$1

find_shell() {
    for name in "${CHROMIUM:-}" chromium-headless-shell; do
        [ -n "$name" ] && command -v "$name" && return 0
    done
    return 1
}

find_one() {
    find_shell && return 0
    for name in chromium chromium-browser google-chrome google-chrome-stable; do
        [ -n "$name" ] && command -v "$name" && return 0
    done
    "$bin/python" - <<'PYTHON'
import os, sys
from playwright.sync_api import sync_playwright
with sync_playwright() as playwright:
    path = playwright.chromium.executable_path
print(path) if os.path.exists(path) else sys.exit(1)
PYTHON
}

install_package() {
    command -v apt-get >/dev/null || return 1
    as_root=""
    [ "$(id -u)" = 0 ] || as_root="sudo -n"
    echo "Installing $1 from the system's packages ..." >&2
    $as_root timeout 60 apt-get update -qq >/dev/null &&
        $as_root env DEBIAN_FRONTEND=noninteractive timeout 180 apt-get install -qq -y --no-install-recommends "$1" >/dev/null
}

download() {
    echo "Downloading Playwright's Chromium ..." >&2
    "$bin/playwright" install chromium >&2
}

find_shell 2>/dev/null && exit 0
install_package chromium-headless-shell >&2 2>/dev/null && find_shell 2>/dev/null && exit 0
find_one 2>/dev/null && exit 0
install_package chromium >&2 && find_one 2>/dev/null && exit 0
download >&2 && find_one 2>/dev/null && exit 0
echo "The browser tests need Chromium, and none could be had: install it (for example: apt-get install chromium), or name one: CHROMIUM=/path/to/chromium make test" >&2
exit 1
