# Sourced by what calls a running Muster: starts a real `muster` on free ports and a new database, and ends it with the script.
# Sets $http, $grpc and $data (whose demo.key is a valid key). Wants $python. Arguments are further settings.

started=() folders=()

free_port() { "$python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

start_muster() {
  .ci/programs
  data=$(mktemp -d)
  folders+=("$data")
  http=127.0.0.1:$(free_port) grpc=127.0.0.1:$(free_port)
  "${CARGO_TARGET_DIR:-target}/debug/muster" --data-dir "$data" --http-addr "$http" --grpc-addr "$grpc" \
    "$@" >"$data/out" 2>"$data/log" &
  local muster=$!
  started+=("$muster")
  trap 'kill "${started[@]}" 2>/dev/null; wait 2>/dev/null || true; rm -rf "${folders[@]}"' EXIT
  # A new database with demo data takes seconds on a busy machine.
  for _ in $(seq 300); do
    curl --silent --fail --output /dev/null "http://$http/readyz" && return
    kill -0 "$muster" || break
    sleep 0.1
  done
  cat "$data/out" "$data/log"
  return 1
}
