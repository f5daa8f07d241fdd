/** The name of the file that Docker looks for. */
export const DOCKERFILE = 'Dockerfile';

/**
 * Lays the function and Node.js into an image of the user's, which needs bash and the libraries of GNU (glibc 2.28 and
 * libstdc++). Commands cannot look into a process whose program they may run and not read (proc(5), ptrace(2)).
 */
export const SANDBOX_DOCKERFILE = `ARG IMAGE
FROM public.ecr.aws/docker/library/node:24-bookworm-slim AS node
FROM \${IMAGE}
COPY --from=node --chown=0:0 --chmod=0711 /usr/local/bin/node /opt/cadre/node
COPY --chown=0:0 --chmod=0755 . /var/task/
WORKDIR /var/task
ENV LAMBDA_TASK_ROOT=/var/task
ENTRYPOINT ["/opt/cadre/node", "/var/task/bootstrap.mjs"]
CMD ["index.handler"]
`;
