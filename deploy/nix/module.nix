# services.latchkey of NixOS: the units of deploy/systemd. Nothing but its syntax has been checked.
flake:
{
  config,
  lib,
  pkgs,
  ...
}:
let
  settingsOf =
    name:
    lib.mkOption {
      type = lib.types.attrsOf lib.types.str;
      default = { };
      description = "Settings of ${name}; docs/operate/settings.md lists them.";
    };
  secretsOf =
    name:
    lib.mkOption {
      type = lib.types.attrsOf lib.types.path;
      default = { };
      example = { AUTH_CLIENT_SECRET = "/run/keys/auth-client-secret"; };
      description = "Settings of ${name} in files outside of the store, which systemd reads as root.";
    };
  cfg = config.services.latchkey;
  inherit (pkgs.stdenv.hostPlatform) system;
  # Where the executable looks for its loader.
  loader =
    {
      x86_64-linux = "/lib64/ld-linux-x86-64.so.2";
      aarch64-linux = "/lib/ld-linux-aarch64.so.1";
    }
    .${system};
  serviceFor = name: service: {
    description = "Latchkey ${name}";
    wantedBy = [ "multi-user.target" ];
    wants = [ "network-online.target" ];
    after = [ "network-online.target" "postgresql.service" ];
    environment =
      {
        NODE_ENV = "production";
        LD_LIBRARY_PATH = lib.makeLibraryPath [ pkgs.stdenv.cc.cc.lib ];
      }
      // service.settings
      // lib.mapAttrs' (setting: _: lib.nameValuePair "${setting}_FILE" "%d/${setting}") service.secrets;
    serviceConfig = {
      Type = "exec";
      ExecStart = "${cfg.executable}/bin/latchkey ${name}";
      BindReadOnlyPaths = [ "${pkgs.stdenv.cc.bintools.dynamicLinker}:${loader}" ];
      LoadCredential = lib.mapAttrsToList (setting: file: "${setting}:${file}") service.secrets;
      User = "latchkey";
      Group = "latchkey";
      StateDirectory = "latchkey";
      StateDirectoryMode = "0750";
      WorkingDirectory = "%S/latchkey";
      Restart = "on-failure";
      RestartSec = 2;
      TimeoutStopSec = 15;
      ProtectSystem = "strict";
      ProtectHome = true;
      PrivateTmp = true;
      PrivateDevices = true;
      PrivateUsers = true;
      ProtectProc = "invisible";
      ProcSubset = "pid";
      UMask = "0077";
      CapabilityBoundingSet = "";
      NoNewPrivileges = true;
      RestrictSUIDSGID = true;
      RestrictNamespaces = true;
      RestrictRealtime = true;
      LockPersonality = true;
      RemoveIPC = true;
      ProtectKernelLogs = true;
      ProtectKernelModules = true;
      ProtectKernelTunables = true;
      ProtectControlGroups = true;
      ProtectClock = true;
      ProtectHostname = true;
      RestrictAddressFamilies = [ "AF_INET" "AF_INET6" "AF_UNIX" "AF_NETLINK" ];
      SystemCallArchitectures = "native";
      SystemCallFilter = [ "@system-service" "~@privileged @resources" ];
      SystemCallErrorNumber = "EPERM";
      MemoryMax = "1G";
      TasksMax = 128;
      LimitNOFILE = 65536;
    };
  };
in
{
  options.services.latchkey = {
    executable = lib.mkOption {
      type = lib.types.package;
      default = flake.packages.${system}.executable;
      description = "The package with the executable as it was published.";
    };
    links = {
      enable = lib.mkEnableOption "Latchkey Links, short links";
      settings = settingsOf "Links";
      secrets = secretsOf "Links";
    };
    rooms = {
      enable = lib.mkEnableOption "Latchkey Rooms, chat rooms";
      settings = settingsOf "Rooms";
      secrets = secretsOf "Rooms";
    };
  };

  config = lib.mkIf (cfg.links.enable || cfg.rooms.enable) {
    # Both services and commands on their data run as this user.
    users.users.latchkey = {
      isSystemUser = true;
      group = "latchkey";
      home = "/var/lib/latchkey";
    };
    users.groups.latchkey = { };
    environment.systemPackages = [ flake.packages.${system}.default ];
    systemd.services = lib.mkMerge [
      (lib.mkIf cfg.links.enable { latchkey-links = serviceFor "links" cfg.links; })
      (lib.mkIf cfg.rooms.enable { latchkey-rooms = serviceFor "rooms" cfg.rooms; })
    ];
  };
}
