import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Locale;
import java.util.stream.Stream;
import java.util.zip.CRC32;

/**
 * Reads entries of a jar as a file system of jdk.zipfs.
 *
 * <pre>
 * java ZipFs SUFFIX PASSES JAR
 * java ZipFs version
 * </pre>
 *
 * Takes all files below the root whose names end in SUFFIX; of entries with the same name there
 * is only one. Each is read into new memory, a file system offers nothing else. jdk.zipfs checks
 * no CRC, so this program does. Prints a line for each pass: seconds, entries, bytes. The first
 * passes are those of a JVM that has yet to compile the code.
 */
public final class ZipFs {
	private static long count;
	private static long bytes;

	public static void main(String[] args) throws IOException {
		if (args.length == 1 && args[0].equals("version")) {
			System.out.println("jdk.zipfs " + System.getProperty("java.version"));
			return;
		}
		if (args.length != 3) {
			System.err.println("usage: java ZipFs SUFFIX PASSES JAR");
			System.exit(2);
		}
		Path jar = Path.of(args[2]);
		for (int pass = 0; pass < Integer.parseInt(args[1]); pass++) {
			long start = System.nanoTime();
			count = 0;
			bytes = 0;
			// The class loader would look for providers other than the JDK's.
			try (FileSystem zip = FileSystems.newFileSystem(jar, (ClassLoader) null)) {
				read(zip, args[0]);
			}
			System.out.printf(Locale.ROOT, "%.6f %d %d%n", (System.nanoTime() - start) / 1e9, count, bytes);
		}
	}

	private static void read(FileSystem zip, String suffix) throws IOException {
		CRC32 crc = new CRC32();
		try (Stream<Path> all = Files.walk(zip.getPath("/"))) {
			for (Iterator<Path> i = all.iterator(); i.hasNext();) {
				Path path = i.next();
				// Directories have no slash at the end here; few are named like a file, so ask last.
				if (!path.toString().endsWith(suffix) || Files.isDirectory(path)) {
					continue;
				}
				byte[] data = Files.readAllBytes(path);
				crc.reset();
				crc.update(data);
				if (crc.getValue() != (long) Files.getAttribute(path, "zip:crc")) {
					throw new IOException(path + " has a wrong CRC");
				}
				count++;
				bytes += data.length;
			}
		}
	}
}
