#!/bin/sh
# fetch-curl.sh - fetch.sh once more, with curl as the client.
VIA=http://a:b@ exec sh tests/scripts/fetch.sh
