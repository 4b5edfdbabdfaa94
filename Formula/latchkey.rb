# A template: `npm run release` writes a copy with the address and the hashes of the published executables. Nothing but
# its syntax has been checked.
class Latchkey < Formula
  desc "Short links and chat rooms on your own server"
  homepage "https://example.com/latchkey"
  version "0.1.0"
  license "MIT"

  on_macos do
    on_arm do
      url "https://example.com/latchkey/releases/download/v0.1.0/latchkey-0.1.0-darwin-arm64"
      sha256 "0000000000000000000000000000000000000000000000000000000000000000"
    end
    on_intel do
      url "https://example.com/latchkey/releases/download/v0.1.0/latchkey-0.1.0-darwin-x64"
      sha256 "0000000000000000000000000000000000000000000000000000000000000000"
    end
  end

  on_linux do
    on_arm do
      url "https://example.com/latchkey/releases/download/v0.1.0/latchkey-0.1.0-linux-arm64"
      sha256 "0000000000000000000000000000000000000000000000000000000000000000"
    end
    on_intel do
      url "https://example.com/latchkey/releases/download/v0.1.0/latchkey-0.1.0-linux-x64"
      sha256 "0000000000000000000000000000000000000000000000000000000000000000"
    end
  end

  def install
    bin.install Dir["latchkey-*"].first => "latchkey"
    # The executable for Intel has the signature of the bare runtime.
    system "codesign", "--force", "--sign", "-", bin/"latchkey" if OS.mac? && Hardware::CPU.intel?
  end

  service do
    run [opt_bin/"latchkey", "links"]
    keep_alive true
    working_dir var/"latchkey"
    log_path var/"log/latchkey.log"
  end

  def post_install
    (var/"latchkey").mkpath
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/latchkey --version")
  end
end
