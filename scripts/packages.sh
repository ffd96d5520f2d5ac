# packages.sh - sourced by the other scripts: what the build needs, and how to get it.

# Debian's names, the same on Ubuntu. The optional ones bring features: editing, pictures, Lua,
# fast matrix products.
packages="gcc g++ libc6-dev cmake ninja-build pkg-config git
    libedit-dev liblua5.4-dev libgraphviz-dev graphviz libzip-dev
    libdnnl-dev check tmux"

# Installs what is missing; sudo only when not root.
install_packages() {
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        echo "not a Debian system: make sure that these are installed: $packages" | tr -s ' \n' ' '
        echo
        return 0
    fi
    missing=""
    for p in $packages; do
        state=$(dpkg-query -W -f '${Status}' "$p" 2>/dev/null) || state=""
        [ "$state" = "install ok installed" ] || missing="$missing $p"
    done
    [ -z "$missing" ] && return 0
    echo "installing:$missing"
    as_root=""
    [ "$(id -u)" -eq 0 ] || as_root=sudo
    $as_root apt-get update -qq || return 1
    $as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends $missing >/dev/null
}

# NVIDIA's run-time compiler, for the tests that compile CUDA kernels: where it is not installed,
# its package from PyPI is unpacked into the user's cache. Without it those tests say that they are
# skipped.
obtain_nvrtc() {
    for folder in /usr/local/cuda/lib64 /opt/cuda/lib64 /usr/lib/x86_64-linux-gnu; do
        [ -e "$folder/libnvrtc.so" ] && return
    done
    cache=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/thunder-repl/nvrtc
    library=$(find "$cache" -name 'libnvrtc.so.*' 2>/dev/null | head -n 1)
    if [ -z "$library" ] && command -v python3 >/dev/null; then
        mkdir -p "$cache" && python3 -m pip download -q --no-deps --only-binary=:all: -d "$cache" \
            nvidia-cuda-nvrtc >/dev/null 2>&1 &&
            for wheel in "$cache"/*.whl; do
                python3 -m zipfile -e "$wheel" "$cache" && rm -f "$wheel"
            done
        library=$(find "$cache" -name 'libnvrtc.so.*' 2>/dev/null | head -n 1)
    fi
    [ -n "$library" ] || return
    export LD_LIBRARY_PATH="$(dirname "$library")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
}

# configure FOLDER OPTION...: a CMake build tree with ninja and ccache where they are there.
configure() {
    folder=$1
    shift
    generator="Unix Makefiles"
    command -v ninja >/dev/null && generator=Ninja
    # A tree that another generator made is kept as it is.
    [ -f "$folder/CMakeCache.txt" ] || set -- -G "$generator" "$@"
    command -v ccache >/dev/null && set -- "$@" -DCMAKE_C_COMPILER_LAUNCHER=ccache
    mkdir -p "$folder"
    cmake -S . -B "$folder" "$@" >"$folder/configure.log" 2>&1 || {
        cat "$folder/configure.log"
        return 1
    }
}
