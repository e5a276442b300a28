# docker build -t metalift .
# docker run --rm -v "$PWD:/work" metalift lift kernel.c --to numpy
# docker run --rm --entrypoint make metalift -C /opt/metalift demo
FROM debian:bookworm
COPY . /opt/metalift
# The demo fails the build where something is not proved; what it wrote is not kept.
RUN apt-get update -q \
    && apt-get install -q -y --no-install-recommends ca-certificates make python3 python3-venv \
    && make -C /opt/metalift demo PIP_FLAGS=--no-cache-dir \
    && rm -rf /opt/metalift/demo_out /var/lib/apt/lists/*
ENV PATH="/opt/metalift/.venv/bin:$PATH"
WORKDIR /work
ENTRYPOINT ["metalift"]
CMD ["--help"]
