#!/bin/sh
# live-curl.sh - live.sh once more, with curl as the client.
VIA=http://a:b@ exec sh tests/scripts/live.sh
