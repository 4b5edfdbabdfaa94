// Configurations of the proxy in front of both services.
import { isLocalName } from './local-name.ts'

/** What a proxy must know. */
export interface Sites {
  readonly links: string
  readonly rooms: string
  readonly email: string
  /** Addresses at which the proxy reaches the services: `127.0.0.1:8080`. */
  readonly nodes: { readonly links: string; readonly rooms: string }
  readonly certificate: { readonly file: string; readonly key: string } | null
}

const WRITTEN = '# Written by latchkey setup.'

export function caddyfile({ links, rooms, email, nodes, certificate }: Sites): string {
  const tls = (host: string) => {
    if (certificate) return `tls ${certificate.file} ${certificate.key}`
    return isLocalName(host) ? 'tls internal' : `tls ${email}`
  }
  return `${WRITTEN}
(latchkey) {
	# A restarted service is back within seconds. Meanwhile, requests that did not reach it wait.
	lb_try_duration 10s
}

${links} {
	${tls(links)}
	reverse_proxy ${nodes.links} {
		import latchkey
	}
}

${rooms} {
	${tls(rooms)}
	reverse_proxy ${nodes.rooms} {
		import latchkey
	}
}
`
}

/** For the http block of nginx: in Debian a file of /etc/nginx/conf.d. */
export function nginxConfiguration({ links, rooms, nodes, certificate }: Sites): string {
  const folder = `/etc/letsencrypt/live/${links}`
  const { file, key } = certificate ?? { file: `${folder}/fullchain.pem`, key: `${folder}/privkey.pem` }
  const common = `  ssl_certificate ${file};
  ssl_certificate_key ${key};
  proxy_http_version 1.1;
  proxy_set_header Connection $latchkey_connection;
  proxy_set_header Upgrade $http_upgrade;
  # Each replaces what a visitor sends.
  proxy_set_header Host $http_host;
  proxy_set_header X-Forwarded-Host $http_host;
  proxy_set_header X-Forwarded-Proto $scheme;
  proxy_set_header X-Forwarded-For $remote_addr;`
  return `${WRITTEN}
# Sockets of Rooms are upgraded. All other connections are kept.
map $http_upgrade $latchkey_connection {
  default upgrade;
  '' '';
}

server {
  listen 443 ssl;
  server_name ${links};
${common}
  # An import may be 32 MiB.
  client_max_body_size 33m;

  location / {
    proxy_pass http://${nodes.links};
  }
}

server {
  listen 443 ssl;
  server_name ${rooms};
${common}
  # Rooms itself limits the size of files.
  client_max_body_size 0;

  location / {
    proxy_pass http://${nodes.rooms};
    proxy_request_buffering off;
    # Sockets send a sign of life at least every half minute.
    proxy_read_timeout 90s;
  }
}

server {
  listen 80;
  server_name ${links} ${rooms};

  location /.well-known/acme-challenge/ {
    root /var/www/html;
  }
  location / {
    return 301 https://$host$request_uri;
  }
}
`
}

/** For the file provider of Traefik. */
export function traefikConfiguration({ links, rooms, nodes, certificate }: Sites): string {
  const tls = certificate ? '      tls: {}' : '      tls: { certResolver: letsencrypt }'
  const router = (service: string, host: string) => `    latchkey-${service}:
      rule: Host(\`${host}\`)
      entryPoints: [websecure]
      service: latchkey-${service}
${tls}`
  const certificates = certificate
    ? `
tls:
  certificates:
    - certFile: ${certificate.file}
      keyFile: ${certificate.key}
`
    : ''
  return `${WRITTEN}
http:
  routers:
${router('links', links)}
${router('rooms', rooms)}
  services:
${traefikService('links', nodes.links)}
${traefikService('rooms', nodes.rooms)}
${certificates}`
}

function traefikService(name: string, node: string): string {
  return `    latchkey-${name}:
      loadBalancer:
        servers: [{ url: 'http://${node}' }]`
}
