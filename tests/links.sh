#!/bin/sh
# links.sh - every link of the pages leads somewhere: to a file of the tree, and to a heading that the page has.
#
# Prints the links that do not; exit 1 when there are any. A heading's name in a link is the heading in small
# letters, spaces as dashes, without anything but letters, digits, dashes and underscores.
set -u
cd "$(dirname "$0")/.." || exit 2
export LC_ALL=C.UTF-8

# anchors FILE: the names of its headings, one a line.
anchors() {
    sed -n '/^```/,/^```/d; s/^##* //p' "$1" |
        tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9 _-]//g; s/ /-/g'
}

# links FILE: the targets of its links that are not addresses, one a line.
links() {
    sed '/^```/,/^```/d' "$1" | grep -o '](<*[^)]*)' | sed 's/^](//; s/)$//' |
        grep -v -e '^https*:' -e '^mailto:'
}

count=0
broken=0
for page in $(git ls-files '*.md'); do
    folder=$(dirname "$page")
    for link in $(links "$page"); do
        count=$((count + 1))
        file=${link%%#*}
        heading=${link#"$file"}
        target=$page
        [ -n "$file" ] && target=$folder/$file
        if [ ! -e "$target" ]; then
            echo "$page: ($link): there is no file $target"
            broken=1
        elif [ -n "$heading" ] && ! anchors "$target" | grep -qx -- "${heading#\#}"; then
            echo "$page: ($link): $target has no such heading"
            broken=1
        fi
    done
done
echo "$count links"
[ "$count" -gt 20 ] || { echo "too few links were found"; broken=1; }
exit $broken
