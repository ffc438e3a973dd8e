: host
