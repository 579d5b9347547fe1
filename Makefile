# Bootstrap; the real one follows.
CFLAGS ?= -O2 -g
CPPFLAGS += -I. -D_GNU_SOURCE
CFLAGS += -std=c11 -Wall -Wextra -Wshadow
all: gotop
