import java.io.*;
import java.net.*;
import java.nio.charset.StandardCharsets;
import java.util.*;

/**
 * Tells what a class loader finds in a class path. Standard input holds requests as Archives.java has them:
 *
 *   c PATHS NAME   contents of all resources of that name; PATHS are separated by line ends
 *
 * Elements of the path are made URLs as jdk.internal.loader.URLClassPath.toFileURL does. An answer is a number of lines
 * and an empty one.
 */
public class ClassPaths {
    public static void main(String[] args) throws Exception {
        DataInputStream in = new DataInputStream(new BufferedInputStream(System.in));
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, "UTF-8");
        while (in.read() >= 0) {
            List<URL> urls = new ArrayList<>();
            for (String p : text(in).split("\n"))
                urls.add(new File(p).getCanonicalFile().toURI().toURL());
            String name = text(in);
            try (URLClassLoader loader = new URLClassLoader(urls.toArray(new URL[0]), null)) {
                for (Enumeration<URL> e = loader.findResources(name); e.hasMoreElements(); ) {
                    URLConnection c = e.nextElement().openConnection();
                    c.setUseCaches(false);
                    try (InputStream s = c.getInputStream()) {
                        out.print(new String(s.readAllBytes(), StandardCharsets.UTF_8) + "\n");
                    }
                }
            } catch (RuntimeException x) {
                out.print("failed " + x + "\n");
            }
            out.print("\n");
        }
        out.flush();
    }

    static String text(DataInputStream in) throws IOException {
        byte[] b = new byte[in.readInt()];
        in.readFully(b);
        return new String(b, StandardCharsets.UTF_8);
    }
}
