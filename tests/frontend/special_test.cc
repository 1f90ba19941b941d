// Special functions against values printed by SciPy 1.17 and mpmath 1.3 (where SciPy has fewer
// digits), eager; the documented differences from SciPy are rows of their own. Gradients against
// closed forms, errors where there is none.

#include <cmath>
#include <limits>

#include "tests/frontend/expect.h"

namespace reel {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// f(a, b, c) = value; functions of fewer operands ignore the others.
struct Row {
  double a, b, c, value;
};

constexpr Row kErfc[] = {
    {0.0, 0.0, 0.0, 1.0},
    {-0.0, 0.0, 0.0, 1.0},
    {1e-20, 0.0, 0.0, 1.0},
    {0.1, 0.0, 0.0, 0.887537083981715},
    {0.5, 0.0, 0.0, 0.4795001221869535},
    {-0.5, 0.0, 0.0, 1.5204998778130465},
    {1.0, 0.0, 0.0, 0.15729920705028513},
    {-1.0, 0.0, 0.0, 1.8427007929497148},
    {2.0, 0.0, 0.0, 0.004677734981047266},
    {3.0, 0.0, 0.0, 2.209049699858544e-05},
    {-3.0, 0.0, 0.0, 1.9999779095030015},
    {5.0, 0.0, 0.0, 1.537459794428035e-12},
    {6.0, 0.0, 0.0, 2.1519736712498913e-17},
    {10.0, 0.0, 0.0, 2.088487583762545e-45},
    {20.0, 0.0, 0.0, 5.395865611607901e-176},
    {26.0, 0.0, 0.0, 5.663192408856143e-296},
    {27.0, 0.0, 0.0, 5.23705e-319},
    {30.0, 0.0, 0.0, 0.0},
    {-30.0, 0.0, 0.0, 2.0},
    {kInf, 0.0, 0.0, 0.0},
    {-kInf, 0.0, 0.0, 2.0},
    {kNaN, 0.0, 0.0, kNaN},
};

constexpr Row kErfInv[] = {
    {0.0, 0.0, 0.0, 0.0},
    {1e-30, 0.0, 0.0, 8.862269254527581e-31},
    {1e-10, 0.0, 0.0, 8.862269254527581e-11},
    {0.1, 0.0, 0.0, 0.08885599049425769},
    {-0.3, 0.0, 0.0, -0.2724627147267544},
    {0.5, 0.0, 0.0, 0.4769362762044699},
    {0.84, 0.0, 0.0, 0.9935356283473041},
    {0.86, 0.0, 0.0, 1.043541843639759},
    {-0.9, 0.0, 0.0, -1.1630871536766743},
    {0.99, 0.0, 0.0, 1.8213863677184496},
    {0.999999, 0.0, 0.0, 3.458910737275499},
    {0.9999999990686774, 0.0, 0.0, 4.328028275800946},
    {-0.9999999999999991, 0.0, 0.0, -5.686128441310391},
    {0.9999999999999999, 0.0, 0.0, 5.8635847487551676},
    {1.0, 0.0, 0.0, kInf},
    {-1.0, 0.0, 0.0, -kInf},
    {1.5, 0.0, 0.0, kNaN},
    {-2.0, 0.0, 0.0, kNaN},
    {kInf, 0.0, 0.0, kNaN},
    {kNaN, 0.0, 0.0, kNaN},
};

constexpr Row kErfcInv[] = {
    {0.0, 0.0, 0.0, kInf},
    {1e-300, 0.0, 0.0, 26.209469960516124},
    {1e-100, 0.0, 0.0, 15.065574702592647},
    {1e-20, 0.0, 0.0, 6.601580622355143},
    {1e-05, 0.0, 0.0, 3.1234132743408756},
    {0.1, 0.0, 0.0, 1.1630871536766743},
    {0.2, 0.0, 0.0, 0.9061938024368232},
    {0.5, 0.0, 0.0, 0.4769362762044699},
    {0.9, 0.0, 0.0, 0.08885599049425769},
    {1.1, 0.0, 0.0, -0.08885599049425778},
    {1.5, 0.0, 0.0, -0.4769362762044699},
    {1.8, 0.0, 0.0, -0.9061938024368232},
    {1.9, 0.0, 0.0, -1.1630871536766738},
    {1.999, 0.0, 0.0, -2.3267537655135464},
    {1.9999999999990905, 0.0, 0.0, -5.05125408524939},
    {2.0, 0.0, 0.0, -kInf},
    {2.1, 0.0, 0.0, kNaN},
    {-0.1, 0.0, 0.0, kNaN},
    {kInf, 0.0, 0.0, kNaN},
    {kNaN, 0.0, 0.0, kNaN},
};

constexpr Row kNdtr[] = {
    {0.0, 0.0, 0.0, 0.5},
    {1.0, 0.0, 0.0, 0.8413447460685429},
    {-1.0, 0.0, 0.0, 0.15865525393145707},
    {2.5, 0.0, 0.0, 0.9937903346742238},
    {-5.0, 0.0, 0.0, 2.866515718791933e-07},
    {-10.0, 0.0, 0.0, 7.61985302416047e-24},
    {-20.0, 0.0, 0.0, 2.7536241186061556e-89},
    {-35.0, 0.0, 0.0, 1.1249107064724061e-268},
    {8.0, 0.0, 0.0, 0.9999999999999993},
    {40.0, 0.0, 0.0, 1.0},
    {-40.0, 0.0, 0.0, 0.0},
    {kInf, 0.0, 0.0, 1.0},
    {-kInf, 0.0, 0.0, 0.0},
    {kNaN, 0.0, 0.0, kNaN},
};

constexpr Row kLogNdtr[] = {
    {0.0, 0.0, 0.0, -0.6931471805599453},
    {1.0, 0.0, 0.0, -0.17275377902344988},
    {-1.0, 0.0, 0.0, -1.8410216450092636},
    {3.0, 0.0, 0.0, -0.0013508099647481938},
    {5.0, 0.0, 0.0, -2.866516129637636e-07},
    {-5.0, 0.0, 0.0, -15.064998393988725},
    {-12.9, 0.0, 0.0, -86.6870873882429},
    {-13.1, 0.0, 0.0, -89.3022953837447},
    {-20.0, 0.0, 0.0, -203.91715537109727},
    {-36.9, 0.0, 0.0, -685.3328831653506},
    {-37.1, 0.0, 0.0, -692.7382807156233},
    {-50.0, 0.0, 0.0, -1254.8313611394199},
    {-1000.0, 0.0, 0.0, -500007.82669481216},
    {1e-10, 0.0, 0.0, -0.6931471804801569},
    {9.0, 0.0, 0.0, -1.1285884059538405e-19},
    {20.0, 0.0, 0.0, -2.7536241186062337e-89},
    {40.0, 0.0, 0.0, -0.0},
    {kInf, 0.0, 0.0, -0.0},
    {-kInf, 0.0, 0.0, -kInf},
    {kNaN, 0.0, 0.0, kNaN},
};

constexpr Row kNdtri[] = {
    {0.0, 0.0, 0.0, -kInf},
    {1e-300, 0.0, 0.0, -37.0470962993612},
    {1e-20, 0.0, 0.0, -9.262340089798409},
    {0.001, 0.0, 0.0, -3.090232306167813},
    {0.1, 0.0, 0.0, -1.2815515655446004},
    {0.25, 0.0, 0.0, -0.6744897501960817},
    {0.5, 0.0, 0.0, 0.0},
    {0.75, 0.0, 0.0, 0.6744897501960817},
    {0.9, 0.0, 0.0, 1.2815515655446004},
    {0.999, 0.0, 0.0, 3.090232306167813},
    {0.9999999999990905, 0.0, 0.0, 7.047700256664409},
    {1.0, 0.0, 0.0, kInf},
    {1.1, 0.0, 0.0, kNaN},
    {-0.1, 0.0, 0.0, kNaN},
    {kNaN, 0.0, 0.0, kNaN},
};

constexpr Row kLgamma[] = {
    {0.0, 0.0, 0.0, kInf},
    {-0.0, 0.0, 0.0, kInf},
    {1e-300, 0.0, 0.0, 690.7755278982137},
    {1e-10, 0.0, 0.0, 23.025850929882736},
    {0.1, 0.0, 0.0, 2.252712651734206},
    {0.5, 0.0, 0.0, 0.5723649429247001},
    {0.75, 0.0, 0.0, 0.20328095143129538},
    {0.999, 0.0, 0.0, 0.0005780385328913802},
    {1.0, 0.0, 0.0, 0.0},
    {1.001, 0.0, 0.0, -0.0005763935982833062},
    {1.5, 0.0, 0.0, -0.12078223763524522},
    {1.999, 0.0, 0.0, -0.0004224618006921073},
    {2.0, 0.0, 0.0, 0.0},
    {2.001, 0.0, 0.0, 0.000423106734800117},
    {2.5, 0.0, 0.0, 0.2846828704729192},
    {5.0, 0.0, 0.0, 3.1780538303479458},
    {7.999, 0.0, 0.0, 8.523145786158915},
    {8.0, 0.0, 0.0, 8.525161361065415},
    {20.0, 0.0, 0.0, 39.339884187199495},
    {171.5, 0.0, 0.0, 709.1431630309282},
    {100000.0, 0.0, 0.0, 1051287.7089736569},
    {1e+100, 0.0, 0.0, 2.292585092994046e+102},
    {1e+300, 0.0, 0.0, 6.897755278982137e+302},
    {1e+306, 0.0, 0.0, kInf},
    {-0.5, 0.0, 0.0, 1.2655121234846454},
    {-1.0, 0.0, 0.0, kInf},
    {-1.5, 0.0, 0.0, 0.860047015376481},
    {-2.0, 0.0, 0.0, kInf},
    {-3.7, 0.0, 0.0, -1.3797399049658245},
    {-10.3, 0.0, 0.0, -14.457515440024208},
    {-100.5, 0.0, 0.0, -364.9009683094273},
    {-1e+300, 0.0, 0.0, kInf},
    {kInf, 0.0, 0.0, kInf},
    {kNaN, 0.0, 0.0, kNaN},
};

constexpr Row kDigamma[] = {
    {0.0, 0.0, 0.0, -kInf},
    {-0.0, 0.0, 0.0, kInf},
    {1e-300, 0.0, 0.0, -9.999999999999999e+299},
    {1e-10, 0.0, 0.0, -10000000000.577215},
    {0.1, 0.0, 0.0, -10.423754940411076},
    {0.5, 0.0, 0.0, -1.9635100260214235},
    {0.999, 0.0, 0.0, -0.5788618021086455},
    {1.0, 0.0, 0.0, -0.5772156649015329},
    {1.4, 0.0, 0.0, -0.06138454458511624},
    {1.5, 0.0, 0.0, 0.03648997397857652},
    {2.0, 0.0, 0.0, 0.42278433509846713},
    {2.5, 0.0, 0.0, 0.7031566406452432},
    {5.0, 0.0, 0.0, 1.5061176684318005},
    {7.999, 0.0, 0.0, 2.015508332090348},
    {8.0, 0.0, 0.0, 2.01564147795561},
    {20.0, 0.0, 0.0, 2.970523992242149},
    {100000.0, 0.0, 0.0, 11.512920464961896},
    {1e+100, 0.0, 0.0, 230.25850929940458},
    {1e+300, 0.0, 0.0, 690.7755278982137},
    {-0.25, 0.0, 0.0, 2.9141391202135276},
    {-0.75, 0.0, 0.0, -2.894120200042932},
    {-1.0, 0.0, 0.0, kNaN},
    {-1.5, 0.0, 0.0, 0.7031566406452432},
    {-2.0, 0.0, 0.0, kNaN},
    {-3.7, 0.0, 0.0, -0.8450768588704194},
    {-10.3, 0.0, 0.0, 4.662403493582087},
    {-100.5, 0.0, 0.0, 4.6151246013380645},
    {-1e+300, 0.0, 0.0, kNaN},
    {kInf, 0.0, 0.0, kInf},
    {-kInf, 0.0, 0.0, kNaN},
    {kNaN, 0.0, 0.0, kNaN},
};

constexpr Row kIgamma[] = {
    {0.0, 0.0, 0.0, kNaN},
    {0.0, 1.0, 0.0, 1.0},
    {0.0, kInf, 0.0, 1.0},
    {1.0, 0.0, 0.0, 0.0},
    {1.0, kInf, 0.0, 1.0},
    {kInf, 1.0, 0.0, 0.0},
    {kInf, kInf, 0.0, kNaN},
    {kInf, 0.0, 0.0, 0.0},
    {-1.0, 1.0, 0.0, kNaN},
    {1.0, -1.0, 0.0, kNaN},
    {kNaN, 1.0, 0.0, kNaN},
    {1.0, kNaN, 0.0, kNaN},
    {0.5, 0.5, 0.0, 0.6826894921370859},
    {1.0, 1.0, 0.0, 0.6321205588285577},
    {2.0, 0.1, 0.0, 0.00467884016044447},
    {2.0, 10.0, 0.0, 0.9995006007726127},
    {1e-10, 0.5, 0.0, 0.9999999999440227},
    {1e-10, 1.05, 0.0, 0.9999999999798127},
    {0.3, 1e-05, 0.0, 0.03523536061556258},
    {0.001, 30.0, 0.0, 1.0},
    {5.0, 5.0, 0.0, 0.5595067149347875},
    {10.0, 30.0, 0.0, 0.9999928782491372},
    {30.0, 10.0, 0.0, 2.5099512015279076e-07},
    {50.0, 50.0, 0.0, 0.5188083154720433},
    {100.0, 120.0, 0.0, 0.9721362601094793},
    {100.0, 60.0, 0.0, 1.4815276326460468e-06},
    {1000.0, 1000.0, 0.0, 0.5042052441802155},
    {1000.0, 950.0, 0.0, 0.05505468623073803},
    {10000.0, 9800.0, 0.0, 0.02220754381396969},
    {1000000.0, 1000000.0, 0.0, 0.5001329807608725},
    {1000000.0, 1003000.0, 0.0, 0.9986382593537825},
    {10000000000.0, 10000000000.0, 0.0, 0.5000013298076014},
    {200.0, 400.0, 0.0, 1.0},
    {150.0, 20.0, 0.0, 5.934110699548869e-77},
    {0.01, 0.3, 0.0, 0.990927603578235},
};

constexpr Row kIgammac[] = {
    {0.0, 0.0, 0.0, kNaN},
    {0.0, 1.0, 0.0, 0.0},
    {0.0, kInf, 0.0, 0.0},
    {1.0, 0.0, 0.0, 1.0},
    {1.0, kInf, 0.0, 0.0},
    {kInf, 1.0, 0.0, 1.0},
    {kInf, kInf, 0.0, kNaN},
    {kInf, 0.0, 0.0, 1.0},
    {-1.0, 1.0, 0.0, kNaN},
    {1.0, -1.0, 0.0, kNaN},
    {kNaN, 1.0, 0.0, kNaN},
    {1.0, kNaN, 0.0, kNaN},
    {0.5, 0.5, 0.0, 0.3173105078629141},
    {1.0, 1.0, 0.0, 0.36787944117144233},
    {2.0, 0.1, 0.0, 0.9953211598395555},
    {2.0, 10.0, 0.0, 0.0004993992273873333},
    {1e-10, 0.5, 0.0, 5.597735948054988e-11},
    {1e-10, 1.05, 0.0, 2.0187281324159097e-11},
    {0.3, 1e-05, 0.0, 0.9647646393844375},
    {0.001, 30.0, 0.0, 3.033689506589931e-18},
    {5.0, 5.0, 0.0, 0.4404932850652124},
    {10.0, 30.0, 0.0, 7.121750862815577e-06},
    {30.0, 10.0, 0.0, 0.9999997490048799},
    {50.0, 50.0, 0.0, 0.48119168452795674},
    {100.0, 120.0, 0.0, 0.027863739890520663},
    {100.0, 60.0, 0.0, 0.9999985184723673},
    {1000.0, 1000.0, 0.0, 0.4957947558197845},
    {1000.0, 950.0, 0.0, 0.9449453137692619},
    {10000.0, 9800.0, 0.0, 0.9777924561860303},
    {1000000.0, 1000000.0, 0.0, 0.4998670192391274},
    {1000000.0, 1003000.0, 0.0, 0.0013617406462175913},
    {10000000000.0, 10000000000.0, 0.0, 0.4999986701923987},
    {200.0, 400.0, 0.0, 6.209511842996089e-29},
    {150.0, 20.0, 0.0, 1.0},
    {0.01, 0.3, 0.0, 0.009072396421765093},
};

constexpr Row kZeta[] = {
    {1.0, 1.0, 0.0, kInf},
    {1.0, 0.0, 0.0, kInf},
    {0.5, 1.0, 0.0, kNaN},
    {2.0, 0.0, 0.0, kInf},
    {2.0, -1.0, 0.0, kInf},
    {2.5, -1.0, 0.0, kInf},
    {2.0, -0.5, 0.0, 8.934802200544679},
    {2.0, -1.5, 0.0, 9.379246644989124},
    {3.0, -1.5, 0.0, 0.11810202582086413},
    {3.0, -0.5, 0.0, 0.41439832211716},
    {2.5, -0.5, 0.0, kNaN},
    {2.0, kInf, 0.0, 0.0},
    {kInf, 1.0, 0.0, 1.0},
    {kInf, 0.5, 0.0, kInf},
    {kNaN, 1.0, 0.0, kNaN},
    {2.0, kNaN, 0.0, kNaN},
    {2.0, 1.0, 0.0, 1.6449340668482264},
    {3.0, 1.0, 0.0, 1.2020569031595942},
    {1.0001, 1.0, 0.0, 10000.577222947539},
    {4.0, 0.25, 0.0, 256.46369066819807},
    {1.5, 7.0, 0.0, 0.7838877675183705},
    {10.0, 0.3, 0.0, 169350.9508709071},
    {50.0, 1.0, 0.0, 1.0000000000000009},
    {50.0, 2.0, 0.0, 8.881784210930816e-16},
    {2.0, 1000000000.0, 0.0, 1.0000000005000001e-09},
    {3.0, 1000000000.0, 0.0, 5.0000000050000005e-19},
    {2.0, 1e+300, 0.0, 1e-300},
    {3.0, 1e-50, 0.0, 1e+150},
    {2.0, 1e-200, 0.0, kInf},
    {7.0, 20.0, 0.0, 3.0175102089090135e-09},
    {30.0, 100.0, 0.0, 3.97323463880809e-60},
    {2.0, -10.5, 0.0, 9.778757739814813},
    {3.0, -100.5, 0.0, 4.901360131359879e-05},
    {2.0, -100000.5, 0.0, 9.869594401189358},
};

constexpr Row kPolygamma[] = {
    {0.0, 0.0, 0.0, -kInf},
    {0.0, 0.5, 0.0, -1.9635100260214235},
    {0.0, 10.0, 0.0, 2.251752589066721},
    {1.0, 0.0, 0.0, kInf},
    {1.0, -1.0, 0.0, kInf},
    {2.0, -1.0, 0.0, -kInf},
    {1.0, -0.5, 0.0, 8.934802200544679},
    {2.0, -0.5, 0.0, -0.82879664423432},
    {1.0, -3.3, 0.0, 14.817739525515929},
    {-1.0, 1.0, 0.0, kNaN},
    {0.5, 1.0, 0.0, kNaN},
    {kNaN, 1.0, 0.0, kNaN},
    {1.0, kNaN, 0.0, kNaN},
    {1.0, kInf, 0.0, 0.0},
    {1.0, 1.0, 0.0, 1.6449340668482264},
    {1.0, 0.1, 0.0, 101.43329915079275},
    {1.0, 1.4616, 0.0, 0.9677007114650835},
    {2.0, 1.0, 0.0, -2.4041138063191885},
    {3.0, 2.5, 0.0, 0.22390584881725206},
    {4.0, 0.7, 0.0, -144.70825364302465},
    {5.0, 10.0, 0.0, 0.0003059451621172682},
    {10.0, 3.0, 0.0, -21.43660662871299},
    {20.0, 1.5, 0.0, -487772949462609.9},
    {100.0, 30.0, 0.0, -626546063.6686132},
    {170.0, 1.0, 0.0, -7.257415615307999e+306},
    {1.0, 10000000000.0, 0.0, 1.00000000005e-10},
    {2.0, 1e-05, 0.0, -2000000000000002.0},
    {1.0, 1e+300, 0.0, 1e-300},
    {3.0, 1e-200, 0.0, kInf},
};

constexpr Row kBetainc[] = {
    {0.0, 0.0, 0.5, kNaN},
    {0.0, 1.0, 0.5, 1.0},
    {1.0, 0.0, 0.5, 0.0},
    {1.0, 1.0, 0.0, 0.0},
    {1.0, 1.0, 1.0, 1.0},
    {1.0, 1.0, -0.1, kNaN},
    {1.0, 1.0, 1.1, kNaN},
    {-1.0, 1.0, 0.5, kNaN},
    {1.0, -1.0, 0.5, kNaN},
    {kInf, 1.0, 0.5, 0.0},
    {1.0, kInf, 0.5, 1.0},
    {kInf, kInf, 0.5, kNaN},
    {kNaN, 1.0, 0.5, kNaN},
    {1.0, 1.0, kNaN, kNaN},
    {0.5, 0.5, 0.3, 0.36901011956554536},
    {2.0, 3.0, 0.4, 0.5248},
    {1.0, 1.0, 0.25, 0.25},
    {5.0, 0.5, 0.9, 0.3166429150200123},
    {0.2, 7.0, 0.01, 0.626267965937642},
    {30.0, 40.0, 0.45, 0.6447480085585681},
    {30.0, 40.0, 0.1, 6.029599569246241e-13},
    {100.0, 2.0, 0.95, 0.03552317532200401},
    {2.0, 100.0, 0.05, 0.9644768246779959},
    {1e-05, 1e-05, 0.5, 0.5},
    {0.5, 0.001, 0.7, 0.002415479609256066},
    {1000.0, 1000.0, 0.5, 0.5},
    {10000.0, 20000.0, 0.334, 0.5972464229533355},
    {1000000.0, 1000000.0, 0.5, 0.4999999999999999},
    {0.001, 50.0, 0.001, 0.9975253345395315},
    {8.0, 8.0, 0.75, 0.9827001616358757},
    {50.0, 0.1, 0.999, 0.22509281639047807},
};

template <typename T>
Tensor Vector(const std::vector<T>& values) {
  return Tensor::FromData(values, {static_cast<int64_t>(values.size())});
}

using Function = Tensor (*)(const Tensor& a, const Tensor& b, const Tensor& c);

struct Case {
  const char* name;
  Function f;
  std::vector<Row> rows;
  double tolerance = 1e-14;  // relative, of f64
};

const std::vector<Case>& Cases() {
  using T = const Tensor&;
  static const auto* cases = new std::vector<Case>{
      {"erfc", [](T a, T, T) { return Erfc(a); }, {std::begin(kErfc), std::end(kErfc)}},
      {"erf_inv", [](T a, T, T) { return ErfInv(a); }, {std::begin(kErfInv), std::end(kErfInv)}},
      {"erfc_inv", [](T a, T, T) { return ErfcInv(a); }, {std::begin(kErfcInv), std::end(kErfcInv)}},
      {"ndtr", [](T a, T, T) { return Ndtr(a); }, {std::begin(kNdtr), std::end(kNdtr)}, 1e-12},
      {"ndtr_logarithm", [](T a, T, T) { return LogNdtr(a); }, {std::begin(kLogNdtr), std::end(kLogNdtr)}, 1e-12},
      {"ndtri", [](T a, T, T) { return Ndtri(a); }, {std::begin(kNdtri), std::end(kNdtri)}},
      {"lgamma", [](T a, T, T) { return Lgamma(a); }, {std::begin(kLgamma), std::end(kLgamma)}},
      {"digamma", [](T a, T, T) { return Digamma(a); }, {std::begin(kDigamma), std::end(kDigamma)}},
      {"igamma", [](T a, T b, T) { return Igamma(a, b); }, {std::begin(kIgamma), std::end(kIgamma)}, 1e-12},
      {"igammac", [](T a, T b, T) { return Igammac(a, b); }, {std::begin(kIgammac), std::end(kIgammac)}, 1e-12},
      {"zeta", [](T a, T b, T) { return Zeta(a, b); }, {std::begin(kZeta), std::end(kZeta)}, 2e-14},
      {"polygamma", [](T a, T b, T) { return Polygamma(a, b); }, {std::begin(kPolygamma), std::end(kPolygamma)}, 1e-12},
      {"betainc", [](T a, T b, T c) { return Betainc(a, b, c); }, {std::begin(kBetainc), std::end(kBetainc)}, 1e-12},
      {"differs_from_scipy_lgamma", [](T a, T, T) { return Lgamma(a); }, {{-kInf, 0, 0, kInf}}},
      {"differs_from_scipy_zeta", [](T a, T b, T) { return Zeta(a, b); }, {{kInf, 2, 0, 0}, {1e300, 2, 0, 0}}},
  };
  return *cases;
}

class Special : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(All, Special, testing::ValuesIn(Cases()),
                         [](const auto& info) { return std::string(info.param.name); });
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

void ExpectNear(double got, double want, double tolerance, const Row& row) {
  SCOPED_TRACE(testing::Message() << "f(" << row.a << ", " << row.b << ", " << row.c << ")");
  if (std::isnan(want) || std::isinf(want)) {
    EXPECT_TRUE(std::isnan(want) ? std::isnan(got) : got == want) << got << ", want " << want;
  } else {
    EXPECT_NEAR(got, want, tolerance * std::fabs(want) + 1e-323);
  }
}

TEST_P(Special, DoublesAreThePublishedValues) {
  std::vector<double> a, b, c;
  for (const Row& row : GetParam().rows) {
    a.push_back(row.a), b.push_back(row.b), c.push_back(row.c);
  }
  const Tensor y = GetParam().f(Vector(a), Vector(b), Vector(c));
  ASSERT_EQ(y.dtype(), kFloat64);
  const std::vector<double> got = Values(y);
  for (size_t i = 0; i < got.size(); ++i) {
    ExpectNear(got[i], GetParam().rows[i].value, GetParam().tolerance, GetParam().rows[i]);
  }
}

// f32 results are those of f64 at the same arguments, rounded.
TEST_P(Special, FloatsAreTheDoublesRounded) {
  std::vector<float> a, b, c;
  for (const Row& row : GetParam().rows) {
    a.push_back(static_cast<float>(row.a));
    b.push_back(static_cast<float>(row.b));
    c.push_back(static_cast<float>(row.c));
  }
  const Tensor x = Vector(a), y = Vector(b), z = Vector(c);
  const Tensor narrow = GetParam().f(x, y, z);
  ASSERT_EQ(narrow.dtype(), kFloat32);
  const Tensor wide = GetParam().f(Cast(x, kFloat64), Cast(y, kFloat64), Cast(z, kFloat64));
  if (GetParam().name == std::string("ndtr_logarithm")) {  // a composition in f32
    const std::vector<double> got = Values(narrow), want = Values(Cast(wide, kFloat32));
    for (size_t i = 0; i < want.size(); ++i) {
      if (got[i] == want[i] || (std::isnan(got[i]) && std::isnan(want[i]))) continue;
      ASSERT_TRUE(std::isfinite(want[i])) << a[i] << " gives " << got[i];
      EXPECT_NEAR(got[i], want[i], 2e-5 * std::abs(want[i]) + 1e-44) << a[i];
    }
    return;
  }
  EXPECT_THAT(Values(narrow), testing::Pointwise(testing::NanSensitiveDoubleEq(), Values(Cast(wide, kFloat32))));
}

TEST(SpecialGradient, ClosedForms) {
  const Tensor x({0.3, 0.7}), a({2.0, 0.5});
  GradientTape tape({.persistent = true});
  tape.Watch(x);
  const Tensor y = Erfc(x), p = Igamma(a, x), q = Igammac(a, x), z = Zeta(3.0, x), beta = Betainc(a, 2.0, x),
               inverse = ErfInv(x), back = ErfcInv(x);
  const auto expect = [&](const Tensor& f, const std::vector<double>& want) {
    EXPECT_THAT(Values(*tape.Gradient(f, x)), testing::Pointwise(testing::DoubleNear(1e-12), want));
  };
  expect(y, {-1.031260909618963, -0.6912748604105386});
  expect(p, {0.22224546620451535, 0.33486511469016705});
  expect(q, {-0.22224546620451535, -0.33486511469016705});
  expect(z, {-371.5708823275248, -12.939574839213872});
  expect(inverse, {0.9545203588405493, 1.5163632173337642});
  expect(back, {-1.516363217333765, -0.9545203588405493});
  expect(beta, {1.26, 0.26892643710023867});
}

TEST(SpecialGradient, WithoutClosedFormIsAnErrorThatNamesTheOperand) {
  const Tensor a(2.0), x(0.5);
  GradientTape tape({.persistent = true});
  tape.Watch(a);
  const Tensor y = Igamma(a, x), z = Zeta(a, x), n = Polygamma(a, x), b = Betainc(a, x, x), c = Betainc(x, a, x),
               stopped = Igamma(StopGradient(a), x);
  const auto refuse = [&](const Tensor& f, const std::string& text) {
    ExpectError(ErrorCode::kUnimplemented, text, [&] { tape.Gradient(f, a); });
  };
  refuse(y, "igamma: the derivative with respect to a (operand 0) has no closed form");
  refuse(z, "zeta: the derivative with respect to s (operand 0)");
  refuse(n, "polygamma: the derivative with respect to n (operand 0)");
  refuse(b, "betainc: the derivative with respect to a (operand 0)");
  refuse(c, "betainc: the derivative with respect to b (operand 1)");
  EXPECT_FALSE(tape.Gradient(stopped, a).has_value());
}

// At the edges of the domain the derivative is the limit, and no branch not taken makes it NaN.
TEST(SpecialGradient, AtTheEdges) {
  const Tensor x({0.0, 0.0, 0.0}), a({1.0, 2.0, 0.5});
  GradientTape tape({.persistent = true});
  tape.Watch(x);
  const Tensor p = Igamma(a, x), beta = Betainc(a, 1.0, x);
  EXPECT_THAT(Values(*tape.Gradient(p, x)), testing::ElementsAre(1, 0, kInf));
  EXPECT_THAT(Values(*tape.Gradient(beta, x)), testing::ElementsAre(1, 0, kInf));
}

// The slopes of log(Ndtr) agree where its three formulas meet.
TEST(SpecialGradient, LogNdtrIsSmooth) {
  for (const double at : {0.0, -37.0}) {
    const Tensor x({at - 1e-9, at + 1e-9});
    GradientTape tape;
    tape.Watch(x);
    const std::vector<double> slope = Values(*tape.Gradient(LogNdtr(x), x));
    EXPECT_NEAR(slope[0], slope[1], 1e-8 * slope[0]);
    EXPECT_NEAR(slope[0], at == 0 ? 0.7978845608028654 : 37.02698768612699, 1e-7);
  }
}

TEST(SpecialFunctions, RefusesIntegersAndMixedTypes) {
  ExpectError(ErrorCode::kInvalidArgument, "lgamma", [] { Lgamma(Tensor({1, 2})); });
  ExpectError(ErrorCode::kInvalidArgument, "igamma: ", [] { Igamma(Tensor({1.0, 2.0}), Tensor({1.0, 2.0, 3.0})); });
}

TEST(SpecialFunctions, BroadcastsAndTakesNumbers) {
  const Tensor a({{1.0}, {2.0}}), x({0.5, 1.0, 2.0});
  EXPECT_EQ(Igamma(a, x).shape(), Shape({2, 3}));
  EXPECT_EQ(Betainc(a, 2.0, Tensor({0.25, 0.5})).shape(), Shape({2, 2}));
  EXPECT_NEAR(Polygamma(1, Tensor(1.0)).item<double>(), 1.6449340668482264, 1e-15);
  EXPECT_NEAR(Lbeta(Tensor(2.0), 3.0).item<double>(), -std::log(12.0), 1e-15);
  EXPECT_EQ(Zeta(Zeros({0}, kFloat64), 1.0).shape(), Shape({0}));
}

}  // namespace
}  // namespace reel
