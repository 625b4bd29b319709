import java.io.IOException;
import java.io.InputStream;
import java.util.Enumeration;
import java.util.Locale;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Reads entries of a jar with java.util.zip.ZipFile, which does not check their CRC-32.
 *
 * <pre>java ZipLoad SUFFIX PASSES JAR [crc]</pre>
 *
 * Takes all entries whose names end in SUFFIX and are no directories, into a buffer that is used
 * again and again. Prints a line for each pass: seconds, entries, bytes. The first passes are
 * those of a JVM that has yet to compile the code. With crc it checks the CRC-32 itself.
 */
public final class ZipLoad {
	public static void main(String[] args) throws IOException {
		if (args.length != 3 && args.length != 4) {
			System.err.println("usage: java ZipLoad SUFFIX PASSES JAR [crc]");
			System.exit(2);
		}
		byte[] buf = new byte[1 << 16];
		for (int pass = 0; pass < Integer.parseInt(args[1]); pass++) {
			long start = System.nanoTime();
			long count = 0;
			long bytes = 0;
			try (ZipFile zip = new ZipFile(args[2])) {
				Enumeration<? extends ZipEntry> all = zip.entries();
				while (all.hasMoreElements()) {
					ZipEntry e = all.nextElement();
					if (e.isDirectory() || !e.getName().endsWith(args[0])) {
						continue;
					}
					int size = Math.toIntExact(e.getSize());
					if (size > buf.length) {
						buf = new byte[size];
					}
					try (InputStream in = zip.getInputStream(e)) {
						if (in.readNBytes(buf, 0, size) != size) {
							throw new IOException(e.getName() + " is short");
						}
					}
					if (args.length == 4) {
						CRC32 crc = new CRC32();
						crc.update(buf, 0, size);
						if (crc.getValue() != e.getCrc()) {
							throw new IOException(e.getName() + " has the wrong CRC-32");
						}
					}
					count++;
					bytes += size;
				}
			}
			System.out.printf(Locale.ROOT, "%.6f %d %d%n", (System.nanoTime() - start) / 1e9, count, bytes);
		}
	}
}
