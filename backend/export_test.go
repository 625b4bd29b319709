package backend

// PlatformMaps tells the tests of package backend_test whether an explicit Mapped
// can be had.
const PlatformMaps = platformMaps
