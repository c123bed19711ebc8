# The image of Sandpiper: Node, the published package, and nothing else. docs/containers.md says how to run it.
#
# Both base images are pinned by tag, so that a build gets the fixes of its day. To get the same bytes every time, append the digests
# that `docker buildx imagetools inspect <image>` prints: node:24-slim@sha256:…

FROM node:24-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY . .
# npm builds first (the script "prepack"). What it would publish is what the image gets.
RUN npm pack && mkdir app && tar -xzf *.tgz -C app --strip-components=1
# Only its user can read the data folder. A new volume takes owner and mode from here.
RUN mkdir -m 0700 data
# The command `sandpiper`: this image has neither a shell nor /usr/bin/env.
RUN printf '#!/nodejs/bin/node\nimport("/app/dist/main.js");\n' > sandpiper && chmod 0755 sandpiper

# Distroless: Node and the libraries that it needs, without shell, npm and package manager. It is smaller than node:24-slim by about a
# third, and most vulnerabilities that scanners find in Node images are in what is missing here.
FROM gcr.io/distroless/nodejs24-debian13:nonroot
LABEL org.opencontainers.image.title="Sandpiper" \
      org.opencontainers.image.description="Self-hosted, privacy-first web analytics in one process" \
      org.opencontainers.image.licenses="MIT"
COPY --from=build /build/sandpiper /usr/local/bin/sandpiper
COPY --from=build /build/app /app
COPY --from=build --chown=65532:65532 /build/data /data
# A number, so that Kubernetes can see that it is not root.
USER 65532:65532
ENV SVC_HOST=0.0.0.0 \
    SVC_DATA_DIR=/data
VOLUME /data
EXPOSE 8000
# Sandpiper is process 1: it handles the signal itself and starts no other process, so it needs no init.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s --retries=3 CMD ["/usr/local/bin/sandpiper", "healthcheck"]
ENTRYPOINT ["/usr/local/bin/sandpiper"]
