# Keeps one PostgreSQL server; see server.rs. Answers each command with its exit code on a line of its own.
binaries=$1
folder=$2
# Where it listens besides its socket, for anyone who gets there; empty is nowhere.
address=$3
# 300 connections: tests run side by side.
options="-c listen_addresses=$address -c unix_socket_directories=$folder -c max_connections=300"
# What tests write has not to survive the machine, so nothing waits for its disk.
careless="-c fsync=off -c synchronous_commit=off -c full_page_writes=off -c autovacuum=off"

run() {
    "$binaries/$@" >>"$folder/log" 2>&1 </dev/null
}

while read -r command; do
    case $command in
    init)
        run initdb -D "$folder/data" -U muster --auth=trust --encoding=UTF8 --locale=C --no-sync --no-instructions &&
            { [ -z "$address" ] || echo "host all all all trust" >>"$folder/data/pg_hba.conf"; }
        ;;
    start) run pg_ctl -D "$folder/data" -s -w -o "$options $careless" start ;;
    start-durable) run pg_ctl -D "$folder/data" -s -w -o "$options" start ;;
    kill) run pg_ctl -D "$folder/data" -s -w -m immediate stop ;;
    stop) run pg_ctl -D "$folder/data" -s -w -m fast stop ;;
    *) false ;;
    esac
    echo $?
done

run pg_ctl -D "$folder/data" -s -w -m immediate stop
rm -rf "$folder"
