# docker build -t metalift . && docker run --rm -v "$PWD:/work" metalift lift kernel.c --to numpy
FROM debian:bookworm
RUN apt-get update -q \
    && apt-get install -q -y --no-install-recommends ca-certificates git make python3 python3-venv \
    && rm -rf /var/lib/apt/lists/*
COPY . /opt/metalift
RUN make -C /opt/metalift setup
WORKDIR /work
ENTRYPOINT ["/opt/metalift/.venv/bin/metalift"]
CMD ["--help"]
