# Built by make image, of the static binary that make dist builds. It holds nothing but the
# binary and the certificates of authorities, and runs as nobody in particular.
FROM scratch
ARG TARGETARCH=amd64
COPY build/image/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY build/image/linux_${TARGETARCH}/gavel /gavel
USER 65532:65532
VOLUME ["/policy", "/state"]
ENTRYPOINT ["/gavel"]
CMD ["serve", "--policy", "/policy", "--state", "/state/gavel", "--listen", "127.0.0.1:8181"]
