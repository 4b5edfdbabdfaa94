# A template: `npm run release` writes a copy with the address and the hashes of the published executables. Nothing but
# its syntax has been checked.
{
  description = "Latchkey: short links and chat rooms on your own server";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-26.05";

  outputs =
    { self, nixpkgs }:
    let
      version = "0.1.0";
      address = "https://example.com/latchkey/releases/download/v0.1.0";
      hashes = {
        x86_64-linux = { platform = "linux-x64"; hash = "sha256-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="; };
        aarch64-linux = { platform = "linux-arm64"; hash = "sha256-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="; };
        x86_64-darwin = { platform = "darwin-x64"; hash = "sha256-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="; };
        aarch64-darwin = { platform = "darwin-arm64"; hash = "sha256-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="; };
      };
      executableFor =
        system:
        let
          inherit (hashes.${system}) platform hash;
          pkgs = nixpkgs.legacyPackages.${system};
        in
        pkgs.stdenvNoCC.mkDerivation {
          pname = "latchkey";
          inherit version;
          src = pkgs.fetchurl {
            url = "${address}/latchkey-${version}-${platform}";
            inherit hash;
          };
          dontUnpack = true;
          # The executable carries its program behind the runtime: strip and patchelf break it.
          dontFixup = true;
          installPhase = "install -D -m 755 $src $out/bin/latchkey";
          meta = {
            description = "Short links and chat rooms on your own server";
            license = pkgs.lib.licenses.mit;
            mainProgram = "latchkey";
            platforms = builtins.attrNames hashes;
          };
        };
      # On Linux, with the loader and the libraries of C and C++ where the executable looks for them.
      packageFor =
        system:
        let
          pkgs = nixpkgs.legacyPackages.${system};
          executable = executableFor system;
        in
        if pkgs.stdenv.hostPlatform.isLinux then
          pkgs.buildFHSEnv {
            name = "latchkey";
            targetPkgs = each: [ each.stdenv.cc.cc.lib ];
            runScript = "${executable}/bin/latchkey";
          }
        else
          executable;
    in
    {
      packages = builtins.mapAttrs (system: _: {
        default = packageFor system;
        executable = executableFor system;
      }) hashes;
      nixosModules.default = import ./deploy/nix/module.nix self;
    };
}
