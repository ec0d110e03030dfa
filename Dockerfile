# pkm with ROS 2 from PyPI on Debian slim:
#   docker build -t pkm . && docker run --rm -v "$PWD:/data" pkm identify log.csv.gz --machine my_machine.yaml
FROM debian:bookworm-slim AS build
# Debian replaces a package by its next mended version: one that is pinned is soon not to be had.
# hadolint ignore=DL3008
RUN apt-get update && apt-get install -y --no-install-recommends g++ python3-dev python3-venv \
    && rm -rf /var/lib/apt/lists/*
COPY . /source
WORKDIR /source
RUN python3 -m venv /opt/pkm && /opt/pkm/bin/pip install --no-cache-dir 'setuptools>=77' -r resource/ros_generators.txt \
    && PKM_WITH_ROS=1 /opt/pkm/bin/pip install --no-cache-dir --no-build-isolation '.[ros,report,watch]'

FROM debian:bookworm-slim
# hadolint ignore=DL3008
RUN apt-get update && apt-get install -y --no-install-recommends python3 \
    && rm -rf /var/lib/apt/lists/* && useradd --uid 1000 --create-home pkm
COPY --from=build /opt/pkm /opt/pkm
ENV PATH=/opt/pkm/bin:$PATH AMENT_PREFIX_PATH=/opt/pkm
USER 1000
WORKDIR /data
ENTRYPOINT ["pkm"]
CMD ["--help"]
