import java.io.*;
import java.lang.module.*;
import java.lang.reflect.Method;
import java.net.*;
import java.nio.file.*;
import java.util.*;
import java.util.spi.ToolProvider;
import jdk.internal.module.ModuleInfo; // needs --add-exports

/**
 * Tells what the JDK makes of class files, modules and provider-configuration files.
 *
 *   m BYTES   parse a module-info.class
 *   i         bytes of all module-info.class of the JDK's image, and what they say
 *   f PATH    module of an archive on the module path
 *   t PATH    jar --describe-module of an archive
 *   c BYTES   header of a class file, as java.lang.classfile has it, or before Java 24 ASM
 *   d BYTES   define a class
 *   s BYTES   providers of a provider-configuration file
 *   u         code points that have a meaning in identifiers: 1 none, 2 part, 3 start
 */
public class Modules extends Requests {
    public static void main(String[] args) throws Exception {
        serve(what -> {
            try {
                switch (what) {
                    case 'm': module(bytes()); break;
                    case 'i': image(); break;
                    case 'f': find(text()); break;
                    case 't': tool(text()); break;
                    case 'c': header(bytes()); break;
                    case 'd': define(bytes()); break;
                    case 's': services(bytes()); break;
                    case 'u': identifiers(); break;
                    default: throw unknown(what);
                }
            } catch (IOException | RuntimeException e) {
                Throwable cause = e;
                while (cause.getCause() != null)
                    cause = cause.getCause();
                line("error " + cause.getMessage());
            }
        });
    }

    static void module(byte[] b) throws IOException {
        ModuleInfo.Attributes a = ModuleInfo.read(new ByteArrayInputStream(b), null);
        describe(a.descriptor());
        if (a.target() != null && a.target().targetPlatform() != null)
            line("target " + a.target().targetPlatform());
        if (a.recordedHashes() != null)
            for (String name : a.recordedHashes().names())
                line("hash " + a.recordedHashes().algorithm() + " " + name + " " + HexFormat.of().formatHex(a.recordedHashes().hashFor(name)));
        if (a.moduleResolution() != null && a.moduleResolution().value() != 0)
            line("resolution " + a.moduleResolution().value());
    }

    static void describe(ModuleDescriptor d) {
        line("module " + d.name() + "|" + d.rawVersion().orElse("") + "|" + words(d.modifiers()) + "|" + d.mainClass().orElse(""));
        for (ModuleDescriptor.Requires r : d.requires())
            line("requires " + r.name() + "|" + r.rawCompiledVersion().orElse("") + "|" + words(r.modifiers()));
        for (ModuleDescriptor.Exports e : d.exports())
            line("exports " + e.source() + "|" + words(e.targets()) + "|" + words(e.modifiers()));
        for (ModuleDescriptor.Opens o : d.opens())
            line("opens " + o.source() + "|" + words(o.targets()) + "|" + words(o.modifiers()));
        for (String u : d.uses())
            line("uses " + u);
        for (ModuleDescriptor.Provides p : d.provides())
            line("provides " + p.service() + "|" + String.join(",", p.providers()));
        for (String p : d.packages())
            line("package " + p);
    }

    static String words(Set<?> set) {
        TreeSet<String> words = new TreeSet<>();
        for (Object o : set)
            words.add(o instanceof String ? (String) o : o.toString().toLowerCase());
        return String.join(",", words);
    }

    static void image() throws IOException {
        try (DirectoryStream<Path> modules = Files.newDirectoryStream(FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules"))) {
            for (Path m : modules) {
                byte[] b = Files.readAllBytes(m.resolve("module-info.class"));
                line("bytes " + HexFormat.of().formatHex(b));
                module(b);
            }
        }
    }

    static void find(String path) {
        for (ModuleReference r : ModuleFinder.of(Path.of(path)).findAll())
            describe(r.descriptor());
    }

    static void tool(String path) {
        StringWriter words = new StringWriter();
        PrintWriter w = new PrintWriter(words);
        ToolProvider.findFirst("jar").get().run(w, w, "--describe-module", "--file", path);
        for (String s : words.toString().split("\n"))
            if (!s.isEmpty())
                line(s);
    }

    static void header(byte[] b) throws IOException {
        try {
            if (Runtime.version().feature() >= 24) {
                Object file = Class.forName("java.lang.classfile.ClassFile").getMethod("of").invoke(null);
                Object model = call("java.lang.classfile.ClassFile", file, "parse", b);
                String c = "java.lang.classfile.ClassModel";
                StringBuilder s = new StringBuilder("class " + call(c, model, "majorVersion") + "." + call(c, model, "minorVersion")
                    + " " + call("java.lang.classfile.AccessFlags", call(c, model, "flags"), "flagsMask") + " " + internal(call(c, model, "thisClass"))
                    + " " + ((Optional<?>) call(c, model, "superclass")).map(Modules::internal).orElse(""));
                for (Object i : (List<?>) call(c, model, "interfaces"))
                    s.append(" ").append(internal(i));
                line(s.toString());
                return;
            }
            String c = "jdk.internal.org.objectweb.asm.ClassReader";
            Object r = Class.forName(c).getConstructor(byte[].class).newInstance((Object) b);
            int version = ((b[6] & 255) << 8) + (b[7] & 255), minor = ((b[4] & 255) << 8) + (b[5] & 255);
            String superName = (String) call(c, r, "getSuperName");
            StringBuilder s = new StringBuilder("class " + version + "." + minor + " " + call(c, r, "getAccess") + " " + call(c, r, "getClassName")
                + " " + (superName == null ? "" : superName));
            for (String i : (String[]) call(c, r, "getInterfaces"))
                s.append(" ").append(i);
            line(s.toString());
        } catch (ReflectiveOperationException e) {
            line("error " + e.getCause());
        }
    }

    static String internal(Object entry) {
        try {
            return (String) call("java.lang.classfile.constantpool.ClassEntry", entry, "asInternalName");
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException(e);
        }
    }

    static Object call(String type, Object on, String method, Object... args) throws ReflectiveOperationException {
        for (Method m : Class.forName(type).getMethods())
            if (m.getName().equals(method) && m.getParameterCount() == args.length && (args.length == 0 || m.getParameterTypes()[0].isInstance(args[0])))
                return m.invoke(on, args);
        throw new AssertionError(method);
    }

    static class Loader extends ClassLoader {
        Class<?> define(byte[] b) { return defineClass(null, b, 0, b.length); }
    }

    static void define(byte[] b) {
        try {
            line("defined " + new Loader().define(b).getName());
        } catch (LinkageError | SecurityException e) {
            line("refused " + e);
        }
    }

    static void services(byte[] b) throws IOException {
        URL url = new URL(null, "x:y", new URLStreamHandler() {
            protected URLConnection openConnection(URL u) {
                return new URLConnection(u) {
                    public void connect() { }
                    public InputStream getInputStream() { return new ByteArrayInputStream(b); }
                };
            }
        });
        ClassLoader loader = new ClassLoader(null) {
            protected Enumeration<URL> findResources(String name) { return Collections.enumeration(List.of(url)); }
            protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException { throw new ClassNotFoundException(name); }
        };
        Iterator<Modules> all = ServiceLoader.load(Modules.class, loader).iterator();
        String prefix = Modules.class.getName() + ": ";
        while (true) {
            try {
                if (!all.hasNext())
                    return;
                all.next();
            } catch (ServiceConfigurationError e) {
                line(e.getMessage().replace(prefix, ""));
            }
        }
    }

    static void identifiers() {
        int start = 0, kind = kind(0);
        for (int c = 1; c <= Character.MAX_CODE_POINT + 1; c++) {
            int k = c > Character.MAX_CODE_POINT ? -1 : kind(c);
            if (k != kind) {
                line(start + " " + (c - 1) + " " + kind);
                start = c;
                kind = k;
            }
        }
    }

    static int kind(int c) {
        if (Character.getType(c) == Character.UNASSIGNED)
            return 0;
        return Character.isJavaIdentifierStart(c) ? 3 : Character.isJavaIdentifierPart(c) ? 2 : 1;
    }
}
