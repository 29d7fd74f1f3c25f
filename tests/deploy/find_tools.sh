#!/bin/sh
# Prints the folders in which nginx, caddy and promtool lie: the system's, or else unpacked from its packages.
# Nothing is installed and nothing is started. For `make test-deploy`.
set -eu
tools=build/deploy-tools
for tool in nginx caddy promtool; do
    if PATH="$PATH:/usr/sbin:$tools/usr/sbin:$tools/usr/bin" command -v "$tool" >/dev/null; then continue; fi
    package=$tool
    if [ "$tool" = promtool ]; then package=prometheus; fi
    mkdir -p "$tools/packages"
    (cd "$tools/packages" && apt-get download --quiet --quiet "$package" >/dev/null 2>&1) || {
        echo "$tool is missing, and the system's packages cannot be had. On Debian: apt-get install $package" >&2
        exit 1
    }
    dpkg-deb --extract "$tools"/packages/"${package}"_*.deb "$tools"
done
echo "/usr/sbin:$PWD/$tools/usr/sbin:$PWD/$tools/usr/bin"
