#!/bin/sh
# Makes sure that Chromium is there for the tests of the page. Where it cannot be installed from here, it says so and
# leaves it at that: everything but those tests works without.
set -eu

for name in chromium chromium-browser google-chrome; do
    command -v "$name" > /dev/null && exit 0
done
if [ "$(id -u)" != 0 ] || ! command -v apt-get > /dev/null; then
    echo "Chromium is not installed: the tests of the page will fail. Install it with your system's package manager" >&2
    echo "(Debian: sudo apt-get install chromium), or set AMBIDEX_NO_BROWSER=1 to leave them out." >&2
    exit 0
fi
echo "Installing Chromium for the tests of the page: about 120 MB, half a minute (AMBIDEX_NO_BROWSER=1 does without)" >&2
apt-get -qq update > /dev/null
DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends chromium > /dev/null
