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

/** The header in which Rooms names the person to Links. */
export const ASSERTION_HEADER = 'X-Latchkey-Assertion'

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
	# First remove any identity that a visitor sends.
	request_header -${ASSERTION_HEADER}

	# Where a sign-in arrives, and where a sign-out begins.
	handle /api/access/* {
		reverse_proxy ${nodes.rooms} {
			import latchkey
		}
	}

	@admin path /_/admin /_/admin/*
	handle @admin {
		forward_auth ${nodes.rooms} {
			uri /api/access?redirect
			copy_headers ${ASSERTION_HEADER}
		}
		reverse_proxy ${nodes.links} {
			import latchkey
		}
	}

	handle {
		reverse_proxy ${nodes.links} {
			import latchkey
		}
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
export function nginxConfiguration(sites: Sites): string {
  const { links, rooms, certificate } = sites
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

${nginxLinks(sites, common)}

${nginxRooms(sites, common)}

server {
  listen 80;
  listen [::]:80;
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

function nginxLinks({ links, nodes }: Sites, common: string): string {
  return `server {
  listen 443 ssl;
  listen [::]:443 ssl;
  server_name ${links};
${common}
  # Replaces what a visitor sends, too. nginx does not send empty headers.
  proxy_set_header ${ASSERTION_HEADER} $assertion;
  # An import may be 32 MiB.
  client_max_body_size 33m;

  set $assertion "";
  location / {
    proxy_pass http://${nodes.links};
  }

  # Where a sign-in arrives, and where a sign-out begins.
  location /api/access/ {
    proxy_pass http://${nodes.rooms};
  }

  location = /api/access {
    internal;
    proxy_pass http://${nodes.rooms};
    proxy_pass_request_body off;
    proxy_set_header Content-Length "";
    proxy_set_header X-Forwarded-For $remote_addr;
    proxy_set_header X-Forwarded-Host $http_host;
    proxy_set_header X-Forwarded-Proto $scheme;
    proxy_set_header X-Forwarded-Uri $request_uri;
  }

  location /_/admin {
    auth_request /api/access;
    auth_request_set $assertion $upstream_http_x_latchkey_assertion;
    # nginx does not pass on the address of a 401 by itself.
    auth_request_set $entrance $upstream_http_location;
    error_page 401 403 = @entrance;
    proxy_pass http://${nodes.links};
  }
  location @entrance {
    return 302 $entrance;
  }
  # Requests of the pages get the 401: they say that the session has ended, and keep what was typed.
  location /_/admin/api/ {
    auth_request /api/access;
    auth_request_set $assertion $upstream_http_x_latchkey_assertion;
    proxy_pass http://${nodes.links};
  }
}`
}

function nginxRooms({ rooms, nodes }: Sites, common: string): string {
  return `server {
  listen 443 ssl;
  listen [::]:443 ssl;
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
}`
}

interface Router {
  readonly name: string
  readonly rule: string
  readonly service: string
  readonly middleware?: string
}

/** For the file provider of Traefik. */
export function traefikConfiguration({ links, rooms, nodes, certificate }: Sites): string {
  const tls = certificate ? '      tls: {}' : '      tls: { certResolver: letsencrypt }'
  const router = ({ name, rule, service, middleware }: Router) => `    latchkey-${name}:
      rule: ${rule}
      entryPoints: [websecure]
      service: latchkey-${service}${middleware === undefined ? '' : `\n      middlewares: [latchkey-${middleware}]`}
${tls}`
  const host = `Host(\`${links}\`)`
  const routers: Router[] = [
    { name: 'rooms', rule: `Host(\`${rooms}\`)`, service: 'rooms' },
    { name: 'links', rule: host, service: 'links', middleware: 'anonymous' },
    // Where a sign-in arrives, and where a sign-out begins.
    { name: 'access', rule: `${host} && PathPrefix(\`/api/access/\`)`, service: 'rooms' },
    { name: 'admin', rule: `${host} && PathPrefix(\`/_/admin\`)`, service: 'links', middleware: 'signed-in' },
  ]
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
  middlewares:
    latchkey-signed-in:
      forwardAuth:
        address: http://${nodes.rooms}/api/access?redirect
        authResponseHeaders: [${ASSERTION_HEADER}]
    # Removes any identity that a visitor sends.
    latchkey-anonymous:
      headers:
        customRequestHeaders:
          ${ASSERTION_HEADER}: ''
  routers:
${routers.map(router).join('\n')}
  services:
${traefikService('links', nodes.links)}
${traefikService('rooms', nodes.rooms)}
${certificates}`
}

function traefikService(name: string, node: string): string {
  return `    latchkey-${name}:
      loadBalancer:
        servers: [{ url: http://${node} }]`
}
