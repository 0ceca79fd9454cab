package dev.heddle.kernel;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Properties;

/**
 * Native libraries that come inside a jar, unpacked once per version into the user's cache folder.
 *
 * <p>A file is written under a temporary name and renamed, so that processes that start together
 * never see half of one; the size is checked because a disk may have been full.
 */
final class NativeFiles {
  private final String resources;
  private final Path folder;

  private NativeFiles(String resources, Path folder) {
    this.resources = resources;
    this.folder = folder;
  }

  /** The libraries of an artifact for a platform, kept in a folder of their own under a cache. */
  static NativeFiles of(Path cache, String group, String artifact, String platform)
      throws IOException {
    Properties about = new Properties();
    try (InputStream in =
        open("/META-INF/maven/" + group + "/" + artifact + "/pom.properties").getInputStream()) {
      about.load(in);
    }
    String name = artifact + "-" + about.getProperty("version") + "-" + platform;
    String resources = "/" + group.replace('.', '/') + "/" + artifact + "/" + platform + "/";
    return new NativeFiles(resources, cache.resolve(name));
  }

  /** The file of this name, unpacked if it is not there yet. */
  Path unpack(String file) throws IOException {
    URLConnection packed = open(resources + file);
    Path target = folder.resolve(file);
    try (InputStream in = packed.getInputStream()) {
      long size = packed.getContentLengthLong();
      if (Files.exists(target) && Files.size(target) == size) {
        return target;
      }
      Files.createDirectories(folder);
      Path aside = Files.createTempFile(folder, file, ".part");
      try {
        Files.copy(in, aside, StandardCopyOption.REPLACE_EXISTING);
        if (Files.size(aside) != size) {
          throw new IOException("could not unpack all of " + target);
        }
        Files.move(aside, target, StandardCopyOption.ATOMIC_MOVE);
      } finally {
        Files.deleteIfExists(aside);
      }
    }
    return target;
  }

  private static URLConnection open(String resource) throws IOException {
    URL url = NativeFiles.class.getResource(resource);
    if (url == null) {
      throw new IOException(resource + " is not on the class path");
    }
    URLConnection connection = url.openConnection();
    // Otherwise the jar would stay open.
    connection.setUseCaches(false);
    return connection;
  }

  /** Where the user keeps what can be made again. */
  static Path userCache() {
    String cache = System.getenv("XDG_CACHE_HOME");
    Path base =
        cache == null || cache.isEmpty()
            ? Path.of(System.getProperty("user.home"), ".cache")
            : Path.of(cache);
    return base.resolve("heddle");
  }
}
