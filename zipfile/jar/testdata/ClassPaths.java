import java.io.*;
import java.net.*;
import java.nio.charset.StandardCharsets;
import java.util.*;

/**
 * Tells what a class loader finds in a class path.
 *
 *   c PATHS NAME   contents of all resources of that name; PATHS are separated by line ends
 *
 * Elements of the path are made URLs as jdk.internal.loader.URLClassPath.toFileURL does.
 */
public class ClassPaths extends Requests {
    public static void main(String[] args) throws Exception {
        serve(what -> {
            switch (what) {
                case 'c': find(text(), text()); break;
                default: throw unknown(what);
            }
        });
    }

    static void find(String paths, String name) throws IOException {
        List<URL> urls = new ArrayList<>();
        for (String p : paths.split("\n"))
            urls.add(new File(p).getCanonicalFile().toURI().toURL());
        try (URLClassLoader loader = new URLClassLoader(urls.toArray(new URL[0]), null)) {
            for (Enumeration<URL> e = loader.findResources(name); e.hasMoreElements(); ) {
                URLConnection c = e.nextElement().openConnection();
                c.setUseCaches(false);
                try (InputStream s = c.getInputStream()) {
                    line(new String(s.readAllBytes(), StandardCharsets.UTF_8));
                }
            }
        } catch (RuntimeException x) {
            line("failed " + x);
        }
    }
}
