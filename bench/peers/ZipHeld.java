import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.ZipFile;

/** Prints as JSON what an open java.util.zip.ZipFile holds of the heap, in bytes for an entry. */
final class ZipHeld {
    public static void main(String[] args) throws IOException {
        long before = heap();
        long start = System.nanoTime();
        try (ZipFile z = new ZipFile(args[0])) {
            z.getEntry("none");
            long wall = System.nanoTime() - start;
            int entries = z.size();
            double each = (double) (heap() - before) / entries;
            System.out.printf(java.util.Locale.ROOT, "{\"wall_ns\":%d,\"entries\":%d,\"value\":%.2f,\"peak_bytes\":%d}%n", wall, entries, each, peak());
        }
    }

    private static long heap() {
        Runtime r = Runtime.getRuntime();
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return r.totalMemory() - r.freeMemory();
    }

    /** The most memory that was resident, 0 where the system does not tell it. */
    private static long peak() {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
                if (line.startsWith("VmHWM:")) {
                    return Long.parseLong(line.replaceAll("[^0-9]", "")) << 10;
                }
            }
        } catch (IOException e) {
            return 0;
        }
        return 0;
    }
}
